// Gives a Node that is newer than any of long-term support the name of the last one, which libraries ask for.
process.release.lts ??= 'Krypton'
