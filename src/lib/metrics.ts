import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** The Prometheus series of one process. Labels are closed sets: no id, address or path of a client ever becomes one. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'posthaste_' })
  return {
    registry,
    requests: new Counter({
      registers,
      name: 'posthaste_http_requests_total',
      help: 'HTTP requests answered.',
      labelNames: ['operation', 'status'],
    }),
    requestSeconds: new Histogram({
      registers,
      name: 'posthaste_http_request_seconds',
      help: 'Time from the arrival of a request to the end of its answer.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    }),
    requestLogsLost: new Counter({
      registers,
      name: 'posthaste_request_logs_lost_total',
      help: 'Request log entries that could not be kept.',
    }),
    deliveries: new Counter({
      registers,
      name: 'posthaste_deliveries_total',
      help: 'Attempts to deliver, by outcome.',
      labelNames: ['outcome'],
    }),
    deliverySeconds: new Histogram({
      registers,
      name: 'posthaste_delivery_seconds',
      help: 'Time that an attempt to deliver took.',
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120],
    }),
    queueDepth: new Gauge({
      registers,
      name: 'posthaste_queue_depth',
      help: 'Deliveries that are left, sampled; counted up to a bound.',
      labelNames: ['state'],
    }),
    queueOldestSeconds: new Gauge({
      registers,
      name: 'posthaste_queue_oldest_due_seconds',
      help: 'How long the oldest due delivery has been waiting, sampled.',
    }),
  }
}
