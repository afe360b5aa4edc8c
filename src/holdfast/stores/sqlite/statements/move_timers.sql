UPDATE timer
SET fire_at = moved.column3
FROM (VALUES :rows) AS moved
WHERE timer.tenant = moved.column1 AND timer.id = moved.column2
