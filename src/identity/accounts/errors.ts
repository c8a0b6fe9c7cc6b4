import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const accountFaults = sentences({
  password_length:   'must have {least} to {most} characters',
  password_common:   'is one of the 100,000 most common passwords',
  password_repeated: 'repeats the same few characters',
  password_personal: 'must not contain your email address or the name of the store',
  code_wrong:        'is not the code that the app shows now, or was used already',
  passkey_wrong:     'is not the answer of a passkey to what was asked',
})
