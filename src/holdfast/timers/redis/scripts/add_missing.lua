-- Adds what is neither waiting nor being processed.
-- KEYS: timers, payloads, processing. ARGV: score, id and payload of each.
local added = 0
for index = 1, #ARGV, 3 do
  local score, id, payload = ARGV[index], ARGV[index + 1], ARGV[index + 2]
  if not redis.call('ZSCORE', KEYS[3], id) then
    added = added + redis.call('ZADD', KEYS[1], 'NX', score, id)
    redis.call('HSETNX', KEYS[2], id, payload)
  end
end
return added
