-- What was handed in over SMTP, as it is sent: the header, with what the service writes itself, and the body as it came. Small bodies stand here, because
-- a file of its own costs a message more than everything else; large ones are blobs.
create table submitted_messages (
  email_id uuid primary key,
  team_id uuid not null,
  head text not null,
  body bytea,
  blob_key uuid unique,
  body_start integer not null,
  html_part integer,
  check ((body is null) <> (blob_key is null))
);
