// Chooses a variant step by step: selected values, values given up for them, and values still available.
import { isAvailable, type OptionChoice, type UcpProduct, type UcpVariant } from './product.ts'

/** The product with its matching variants; the first one is shown. `id` may be a variant's. */
export function chooseVariants(
  product: UcpProduct,
  { id, selected, preferences }: { id: string; selected: readonly OptionChoice[]; preferences: readonly string[] },
): UcpProduct & { selected?: OptionChoice[] } {
  const { options, variants } = product
  if (!options) return product
  const namedVariant = variants.find((variant) => variant.id === id)
  if (namedVariant) return visibleOptions(product, namedVariant.options ?? [], namedVariant)
  const choices = once(selected).filter(({ name }) => options.some((option) => option.name === name))
  const possibleChoices = possible(variants, choices, preferences)
  if (selected.length > 0) return visibleOptions(product, possibleChoices)
  return visibleOptions(product, variants[0]!.options ?? [], variants[0])
}

/** Keeps only the first choice of each option. */
function once(choices: readonly OptionChoice[]): OptionChoice[] {
  return choices.filter(({ name }, at) => choices.findIndex((one) => one.name === name) === at)
}

/** Gives up choices until a variant fits, the least preferred first. */
function possible(
  variants: readonly UcpVariant[],
  choices: OptionChoice[],
  preferences: readonly string[],
): OptionChoice[] {
  const rank = ({ name }: OptionChoice) => {
    const at = preferences.indexOf(name)
    return at < 0 ? preferences.length : at
  }
  const byRank = choices.map((one, at) => ({ one, at })).sort((a, b) => rank(a.one) - rank(b.one) || a.at - b.at)
  while (
    byRank.length > 0 &&
    !variants.some((variant) =>
      fitsChoice(
        variant,
        byRank.map(({ one }) => one),
      ),
    )
  )
    byRank.pop()
  return byRank.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

function fitsChoice({ options = [] }: UcpVariant, choice: readonly OptionChoice[]): boolean {
  return choice.every(({ name, label }) => options.some((option) => option.name === name && option.label === label))
}

function visibleOptions(
  product: UcpProduct,
  choices: OptionChoice[],
  first?: UcpVariant,
): UcpProduct & { selected: OptionChoice[] } {
  const { variants, options = [] } = product
  const fitting = variants.filter((variant) => variant !== first && fitsChoice(variant, choices))
  return {
    ...product,
    selected: choices,
    options: options.map(({ name, values }) => ({
      name,
      values: values.map((value) => ({ ...value, ...getValueSignals(name, (value as { label: string }).label) })),
    })),
    variants: first ? [first, ...fitting] : fitting,
  }

  /** The availability of a value together with the other choices. */
  function getValueSignals(name: string, label: string): { available: boolean; exists: boolean } {
    const others = choices.filter((one) => one.name !== name)
    const having = variants.filter((variant) => fitsChoice(variant, [...others, { name, label }]))
    return { available: having.some(isAvailable), exists: having.length > 0 }
  }
}
