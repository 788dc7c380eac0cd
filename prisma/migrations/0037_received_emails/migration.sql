-- A message that the SMTP server took for the domains of a team: one row for each team, however many of its addresses the message was for.
create table received_emails (
  id uuid primary key,
  team_id uuid not null,
  blob_key uuid not null,
  bytes integer not null,
  mail_from text not null,
  rcpt_to text[] not null,
  peer text not null,
  helo text not null,
  tls text,
  created_at timestamptz(3) not null,
  state text not null default 'waiting' check (state in ('waiting', 'read')),
  taken_at timestamptz(3),
  tries integer not null default 0,
  -- What a worker has read.
  "from" text not null default '',
  "to" text[] not null default '{}',
  cc text[] not null default '{}',
  bcc text[] not null default '{}',
  reply_to text[] not null default '{}',
  received_for text[] not null default '{}',
  subject text,
  message_id text,
  headers jsonb not null default '{}',
  html text,
  text text,
  spf text,
  dkim text,
  dmarc text,
  arc text,
  problem text,
  is_auto_reply boolean not null default false,
  in_reply_to_email_id uuid,
  sent_email_id uuid
);
create index received_emails_team_id_id_idx on received_emails (team_id, id desc);
create index received_emails_blob_key_idx on received_emails (blob_key);
create index received_emails_waiting_idx on received_emails (id) where state = 'waiting';
-- For the filter of the list.
create index received_emails_from_idx on received_emails (team_id, lower("from"), id desc);

-- The addresses of a team to which a message came, in lower case.
create table received_recipients (
  team_id uuid not null,
  address text not null,
  email_id uuid not null,
  primary key (team_id, address, email_id)
);
create index received_recipients_email_id_idx on received_recipients (email_id);

create table received_attachments (
  id uuid primary key,
  team_id uuid not null,
  email_id uuid not null,
  filename text,
  content_type text not null,
  content_disposition text check (content_disposition in ('inline', 'attachment')),
  content_id text,
  size integer not null,
  blob_key uuid not null
);
create index received_attachments_email_id_id_idx on received_attachments (email_id, id);
create unique index received_attachments_blob_key_key on received_attachments (blob_key);
