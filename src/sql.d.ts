declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's text loader gives a default export
  export default text;
}
