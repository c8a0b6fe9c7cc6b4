import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const accountFaults = sentences({
  password_length:   'must be {least} to {most} characters long',
  password_common:   'is one of the 100,000 most common passwords',
  password_repeated: 'is too repetitive',
  password_personal: "must not contain your email address or the store's name",
  code_wrong:        'is incorrect or has already been used',
  passkey_wrong:     'is not a valid passkey response',
})
