-- What was given out too long ago can be claimed again at once: whoever had it is gone.
-- KEYS: timers, payloads, processing. ARGV: given out before, now, limit.
local stale = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(stale) do
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZADD', KEYS[1], 'NX', ARGV[2], id)
end
return #stale
