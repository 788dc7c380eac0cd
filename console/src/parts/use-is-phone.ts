import { useMediaQuery } from '@mantine/hooks'

/** As `hiddenFrom="sm"` has it. */
export const useIsPhone = (): boolean => useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
