alter table recipients drop column bounce_token;
