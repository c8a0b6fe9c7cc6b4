/** What was found in all stores, to be changed store by store. Those who lock rows of several do so in this order. */
export function byStore<Row extends { store_id: string }>(rows: readonly Row[]): [storeId: string, Row[]][] {
  const stores = [...Map.groupBy(rows, ({ store_id }) => store_id)]
  return stores.length > 1 ? stores.toSorted(([one], [other]) => (one < other ? -1 : 1)) : stores
}
