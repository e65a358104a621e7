/** The core: loop, permission, context and session; adapters are imported by their own path. */
export * from './session/session.ts'
