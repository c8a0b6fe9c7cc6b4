-- Slugs that stores have given up: until then they lead to the store's new one, and no other store may have them.
create table store_slugs (
  store_id text not null references stores (id) on delete cascade,
  slug     text not null,
  until    timestamptz(3) not null,
  primary key (store_id, slug)
);
create unique index store_slugs_slug on store_slugs (slug);
create index store_slugs_until on store_slugs (until);

-- The slug becomes that store's, or is refused while it is kept for another. It sees the rows of all stores, which a
-- request for one does not where policies hold; until the claimant commits, whoever else wants the slug waits.
create function claim_slug(wanted text, claimant text, at timestamptz) returns void
language plpgsql security definer set search_path from current as $$
begin
  delete from store_slugs where slug = wanted and (store_id = claimant or until <= at);
  if exists (select from store_slugs where slug = wanted) then
    perform refuse('store_slugs_slug');
  end if;
end $$;
