import { sentences } from '../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const requestFaults = sentences({
  not_json:             'is not valid JSON in UTF-8',
  wrong_content_type:   'must be sent with Content-Type: application/json',
  not_form:             'is not a readable multipart/form-data form',
  wrong_content_length: 'does not have the length that Content-Length announces',
  wrong_key_length:     'must have 1 to {limit} characters',
})
