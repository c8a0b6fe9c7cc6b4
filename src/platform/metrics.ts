// The registry of everything that /metrics shows; each module declares its own.
import { collectDefaultMetrics, Registry } from 'prom-client'

export const metrics = new Registry()
collectDefaultMetrics({ register: metrics })
