-- Passkeys: for which host and where each was made, and which challenges were answered. Only added. No version before has made a passkey.
-- serves: earlier
alter table passkeys add column host text not null, add column address text not null, add column browser text not null;
create table answered_challenges (
  digest text primary key,
  expires_at timestamptz(3) not null
);
create index answered_challenges_expires_at_idx on answered_challenges (expires_at);
