-- From a request to what came of it: mails name it, as events do, and it says what it has asked the database.
alter table mails add column request_id text;
alter table requests add column trace json;   -- of writes: {statements, round_trips, duration_ms}
