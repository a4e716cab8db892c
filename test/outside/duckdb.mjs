// Queries the files of a sink as docs/exports.md shows, and prints the types of the
// columns and all rows as JSON.
import { DuckDBInstance } from "@duckdb/node-api";

const files = `read_parquet('${process.argv[2]}/positions/*/*/*.parquet', hive_partitioning = true)`;
const db = await (await DuckDBInstance.create(":memory:")).connect();
const rows = async (sql) => (await db.runAndReadAll(sql)).getRowObjectsJson();
console.log(
  JSON.stringify({
    types: Object.fromEntries((await rows(`DESCRIBE SELECT * FROM ${files}`)).map((c) => [c.column_name, c.column_type])),
    rows: await rows(`SELECT * REPLACE (CAST(epoch_ms("timestamp") AS DOUBLE) AS "timestamp", CAST(day AS VARCHAR) AS day, CAST(tenant AS VARCHAR) AS tenant)
      FROM ${files} ORDER BY device_id, "timestamp"`),
    byDay: await rows(`SELECT CAST(day AS VARCHAR) AS day, CAST(count(*) AS DOUBLE) AS positions, CAST(count(speed_kph) AS DOUBLE) AS speeds, sum(speed_kph) AS speed
      FROM ${files} GROUP BY day ORDER BY day`),
  }),
);
