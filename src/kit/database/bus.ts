// Messages that a process publishes to itself after a commit. Each database has a bus, so two apps in a process hear
// only their own commits.

/** One kind of message. */
export type Topic<Message> = { readonly name: string; readonly message?: Message }

export type Bus = {
  publish<Message>(topic: Topic<Message>, message: Message): void
  /** Returns the function that ends the subscription. */
  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): () => void
}

export function openBus(): Bus {
  const subscriptions = new Set<{ topic: Topic<any>; listener: (message: any) => void }>()
  return {
    publish(topic, message) {
      for (const subscription of subscriptions) if (subscription.topic === topic) subscription.listener(message)
    },
    subscribe(topic, listener) {
      const subscription = { topic, listener }
      subscriptions.add(subscription)
      return () => subscriptions.delete(subscription)
    },
  }
}
