DELETE FROM activity WHERE tenant = :tenant AND minute < :oldest
