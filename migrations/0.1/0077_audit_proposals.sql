-- An approved proposal is in the log under the operation that was carried out, with who proposed it. The log outlives
-- the proposal.
alter table audit_log add column proposal_id uuid;   -- null: nobody proposed it
alter table audit_log add column proposed_by text;   -- kind and id of the credential, as of the proposal
