/** esbuild imports it as text. */
declare module "*.svg" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: a text file has no named exports
  export default text;
}
