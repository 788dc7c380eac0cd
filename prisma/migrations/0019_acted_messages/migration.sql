-- A worker takes a message for a while, so that no other reads it at the same time, and gives up one that was taken too often.
alter table inbound_messages add column taken_at timestamptz(3), add column tries integer not null default 0;
-- The newest messages of a verdict, for operators.
create index inbound_messages_verdict_id_idx on inbound_messages (verdict, id desc);
