-- Finds a received email by its Message-ID. By a hash, because senders may write a long one.
create index received_emails_message_id_idx on received_emails (team_id, hashtextextended(message_id, 0)) where message_id is not null;
