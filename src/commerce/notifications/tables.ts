import { table } from '../../tenancy/tables/table.ts'

export const notificationSettings = table('notification_settings', {
  placement: 'local',
  audit: 'what a person is notified about and has read',
  stays: 'they are of a member',
})
