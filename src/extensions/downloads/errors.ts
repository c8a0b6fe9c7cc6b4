import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const downloadFaults = sentences({
  download_file_required: 'is required: send it as multipart/form-data',
  download_empty:         'must not be an empty file',
  download_too_large:     'must be at most {limit} MB in size',
  download_no_room:       'exceeds the limit: files of a store can take up at most {limit} MB',
  download_key_too_long:  'must have at most {limit} characters on each line',
  download_too_many_keys: 'must have at most {limit} lines',
})

/** In the dashboard. */
export const faultMessages: Readonly<Record<keyof typeof downloadFaults, string>> = {
  download_file_required: 'fault_required',
  download_empty: 'downloads_fault_empty',
  download_too_large: 'downloads_too_large',
  download_no_room: 'downloads_fault_room',
  download_key_too_long: 'downloads_fault_key',
  download_too_many_keys: 'downloads_fault_keys',
}
