export const CHART_TEXTS = {
  numbersOf: (title: string) => `Numbers: ${title}`,
  nothing: 'There is nothing to show.',
  highest: 'highest',
}
