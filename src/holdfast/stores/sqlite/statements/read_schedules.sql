SELECT json_group_array(CAST(schedule.record AS TEXT))
FROM json_each(:schedules) AS wanted
CROSS JOIN schedule ON schedule.tenant = wanted.value ->> 0 AND schedule.id = wanted.value ->> 1
