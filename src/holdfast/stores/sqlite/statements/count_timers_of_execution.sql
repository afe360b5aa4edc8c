SELECT count(*) FROM timer WHERE tenant = :tenant AND execution_id = :execution_id
