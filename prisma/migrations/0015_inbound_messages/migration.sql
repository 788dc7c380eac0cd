create table inbound_messages (
  id uuid primary key,
  team_id uuid,
  recipient_id uuid check (team_id is null or recipient_id is not null),
  purpose text not null check (purpose in ('return_path', 'feedback', 'postmaster', 'abuse')),
  mail_from text not null,
  rcpt_to text not null,
  blob_key uuid not null,
  bytes integer not null,
  peer text not null,
  helo text not null,
  tls text,
  received_at timestamptz(3) not null,
  state text not null default 'waiting' check (state in ('waiting', 'done')),
  verdict text,
  detail jsonb
);
create index inbound_messages_waiting_idx on inbound_messages (id) where state = 'waiting';
create index inbound_messages_blob_key_idx on inbound_messages (blob_key);
