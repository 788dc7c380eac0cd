-- Mail of the installation itself: links, codes and notices for people. It belongs to no team. Only added.
create table installation_mails (
  id uuid primary key,
  recipient_digest text not null,
  client_digest text,
  link_digest text,
  content bytea,
  key_version integer,
  attempts integer not null,
  due_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  delivered_at timestamptz(3),
  constraint installation_mails_sealed check ((content is null) = (key_version is null)),
  constraint installation_mails_delivered_without_content check (delivered_at is null or content is null)
);
create index installation_mails_recipient_digest_created_at_idx on installation_mails (recipient_digest, created_at);
create index installation_mails_client_digest_created_at_idx on installation_mails (client_digest, created_at);
create index installation_mails_created_at_idx on installation_mails (created_at);
-- Workers look for the few that are not delivered, and pages ask whether one ever was.
create index installation_mails_due_idx on installation_mails (due_at) where content is not null;
create index installation_mails_delivered_idx on installation_mails (delivered_at) where delivered_at is not null;
