// Sets the LTS name that libraries ask for, on a Node newer than any LTS release.
process.release.lts ??= 'Krypton'
