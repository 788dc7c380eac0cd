-- Which received emails answer an email of the team.
create index received_emails_answers_idx on received_emails (in_reply_to_email_id, id desc) where in_reply_to_email_id is not null;
