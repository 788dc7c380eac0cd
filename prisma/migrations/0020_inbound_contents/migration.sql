-- The content of a message may be removed before its row.
alter table inbound_messages alter column blob_key drop not null;
-- The contents that are kept, oldest first, with their size: of messages that were acted upon, and of others.
create index inbound_messages_acted_content_idx on inbound_messages (id) include (bytes)
  where state = 'done' and blob_key is not null and verdict in ('bounce', 'complaint');
create index inbound_messages_other_content_idx on inbound_messages (id) include (bytes)
  where state = 'done' and blob_key is not null and verdict not in ('bounce', 'complaint');
