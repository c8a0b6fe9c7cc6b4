-- The tool of /mcp that made a request; null for requests to the API itself.

alter table requests add column tool text;
