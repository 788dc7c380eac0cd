export const EACH_TEXTS = {
  running: (done: number, total: number) => `${done} of ${total} done …`,
  done: (done: number, total: number) => `${done} of ${total} done`,
  refused: (count: number) => `${count} refused`,
  stop: 'Stop here',
  close: 'Close',
}
