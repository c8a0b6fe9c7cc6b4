-- The audit log tells of the settings of extensions.
select account_for('downloads_settings', key => 'store_id');
select account_for('backinstock_settings', key => 'store_id');
