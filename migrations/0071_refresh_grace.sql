-- The answer to a refresh, sealed with the token that was presented: it can be given once more for a moment.
alter table oauth_tokens add column successor text;
