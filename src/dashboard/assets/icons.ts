// Icons of what scripts add to a page: the page brings them along.

export function iconOf(name: string): Node {
  return document.querySelector<HTMLTemplateElement>('#icons')!.content.querySelector(`.is-${name}`)!.cloneNode(true)
}
