// The first screen: onboarding, sales figures, and what needs attention.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Screen } from '../../framework/screen.ts'
import { needsAttention } from './attention.ts'
import { salesFigures } from './figures.ts'
import { firstSteps } from './onboarding.ts'

export const home: Screen = {
  path: '',
  scope: 'read:store',
  title: 'home',
  section: 'home',
  async show(context) {
    const [steps, sales, attention] = await Promise.all([
      firstSteps(context),
      mayUse(context.role, 'read:orders') ? salesFigures(context) : '',
      needsAttention(context),
    ])
    return { content: html`${steps}${sales}${attention}` }
  },
}
