SELECT count(*) FROM timer WHERE tenant = :tenant
