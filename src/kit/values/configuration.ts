/** Exit code of an invalid configuration, EX_CONFIG of sysexits.h. */
export const configurationExitCode = 78

/** Its message tells the operator what to change. */
export class ConfigurationError extends Error {}
