-- The pages of segments and topics show the newest broadcasts to them.
create index broadcasts_segment_id_id_idx on broadcasts (segment_id, id desc);
create index broadcasts_topic_id_id_idx on broadcasts (topic_id, id desc) where topic_id is not null;
