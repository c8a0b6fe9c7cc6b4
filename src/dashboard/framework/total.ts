// Totals of lists, as people read them.
import { maxCounted } from '../../kit/declare/resource.ts'
import type { PageContext } from './screen.ts'

/** Such as 10,000+, where counting stopped. */
export function formatTotal({ language }: Pick<PageContext, 'language'>, total: number): string {
  const isMore = total === maxCounted + 1
  return new Intl.NumberFormat(language).format(isMore ? maxCounted : total) + (isMore ? '+' : '')
}
