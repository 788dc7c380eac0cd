-- A message to several recipients has several rows, and its content counts once.
drop index inbound_messages_acted_content_idx;
create index inbound_messages_acted_content_idx on inbound_messages (id) include (bytes, blob_key)
  where state = 'done' and blob_key is not null and verdict in ('bounce', 'complaint');
drop index inbound_messages_other_content_idx;
create index inbound_messages_other_content_idx on inbound_messages (id) include (bytes, blob_key)
  where state = 'done' and blob_key is not null and verdict not in ('bounce', 'complaint');
