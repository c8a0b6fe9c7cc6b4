import { sentences } from '../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const requestFaults = sentences({
  not_json:             'is not valid UTF-8 JSON',
  wrong_content_type:   'must be sent with Content-Type: application/json',
  not_form:             'is not a valid multipart/form-data body',
  wrong_content_length: 'does not match Content-Length',
  wrong_key_length:     'must be 1 to {limit} characters long',
})
