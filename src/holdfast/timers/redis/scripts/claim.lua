-- Gives out what is due: from the timers to what is being processed, in one step.
-- KEYS: timers, payloads, processing, marker. ARGV: now, limit.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
local in_hand = redis.call('ZCARD', KEYS[3])
local payloads = {}
for index, id in ipairs(due) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZADD', KEYS[3], ARGV[1], id)
  payloads[index] = redis.call('HGET', KEYS[2], id)
end
local next_due = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return {redis.call('EXISTS', KEYS[4]), in_hand, next_due or '', due, payloads}
