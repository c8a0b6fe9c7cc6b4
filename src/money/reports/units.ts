// A range of days as years, months and days, of which some are subtracted: eleven months are a year without a month.
import { addDays, nextMonth, type DayRange } from './period.ts'

type UnitName = 'year' | 'month' | 'day'

/** The stored rows of a unit, in those of a day, for a store that sells much. */
const weights: Record<UnitName, number> = { year: 40, month: 15, day: 1 }

type SignedUnit = { unit: UnitName; begins: string; isAdded: boolean }
type Cover = { weight: number; parts: readonly SignedUnit[] }

/** The first days of the units that are added and subtracted. A year is never subtracted. */
export type RangeParts = { years: string[]; months: string[]; days: string[]; lessMonths: string[]; lessDays: string[] }

/** After today there are no sums, so a range that reaches today has its last year and month as a whole. */
export function splitIntoUnits({ from, to }: DayRange, today: string): RangeParts {
  const range = { from, to, isOpen: to >= today }
  const years = []
  for (let year = from.slice(0, 4); year <= to.slice(0, 4); year = String(Number(year) + 1)) years.push(`${year}-01-01`)
  const { parts } = sum(years.map((begins) => coverUnit('year', begins, range).inside))
  const list = (unit: UnitName, isAdded: boolean) =>
    parts.filter((part) => part.unit === unit && part.isAdded === isAdded).map(({ begins }) => begins)
  return {
    years: list('year', true),
    months: list('month', true),
    days: list('day', true),
    lessMonths: list('month', false),
    lessDays: list('day', false),
  }
}

type OpenRange = DayRange & { isOpen: boolean }

/** What adds up to the days of a unit inside the range, and to those outside. */
function coverUnit(unit: UnitName, begins: string, range: OpenRange): { inside: Cover; outside: Cover } {
  const last = addDays(beginNext(unit, begins), -1)
  const whole: Cover = { weight: weights[unit], parts: [{ unit, begins, isAdded: true }] }
  if (begins > range.to && range.isOpen) return { inside: sum([]), outside: sum([]) }
  if (last < range.from || begins > range.to) return { inside: sum([]), outside: whole }
  if (begins >= range.from && (last <= range.to || range.isOpen)) return { inside: whole, outside: sum([]) }
  const covers = listParts(unit, begins, last).map((part) => coverUnit(...part, range))
  const inside = sum(covers.map((cover) => cover.inside))
  const outside = sum(covers.map((cover) => cover.outside))
  return { inside: lighter(inside, without(whole, outside)), outside: lighter(outside, without(whole, inside)) }
}

function listParts(unit: UnitName, begins: string, last: string): [UnitName, string][] {
  const part = unit === 'year' ? 'month' : 'day'
  const parts: [UnitName, string][] = []
  for (let day = begins; day <= last; day = beginNext(part, day)) parts.push([part, day])
  return parts
}

function beginNext(unit: UnitName, day: string): string {
  if (unit === 'day') return addDays(day, 1)
  return unit === 'month' ? nextMonth(day) : `${Number(day.slice(0, 4)) + 1}-01-01`
}

function sum(covers: readonly Cover[]): Cover {
  return {
    weight: covers.reduce((total, { weight }) => total + weight, 0),
    parts: covers.flatMap(({ parts }) => parts),
  }
}

function without(whole: Cover, rest: Cover): Cover {
  return sum([whole, { ...rest, parts: rest.parts.map((part) => ({ ...part, isAdded: !part.isAdded })) }])
}

function lighter(one: Cover, other: Cover): Cover {
  return other.weight < one.weight ? other : one
}
